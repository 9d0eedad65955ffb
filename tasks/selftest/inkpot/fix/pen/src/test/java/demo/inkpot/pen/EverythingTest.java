package demo.inkpot.pen;

import org.junit.runner.RunWith;
import org.junit.runners.Suite;

@RunWith(Suite.class)
@Suite.SuiteClasses({MillilitresTest.class, CentilitresTest.class, OldStyleTest.class})
public class EverythingTest {}
