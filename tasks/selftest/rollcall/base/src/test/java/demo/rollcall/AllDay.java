package demo.rollcall;

import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

@Suite
@SelectClasses({MorningCase.class, EveningCase.class})
class AllDay {}
