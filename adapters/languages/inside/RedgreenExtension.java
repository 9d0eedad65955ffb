import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * A core extension of Maven, for every Maven from 3.1 on, given to it by `maven.ext.class.path`.
 *
 * <p>It sets up Surefire alike whatever a pom says (reports to a folder of ours, one process, no second chances), takes
 * plug-ins out that are no tests, and tells how every goal ended: a line of JSON each, so that nobody has to read what
 * Maven prints. What it shall do stands in a file of properties that is deleted once read:
 *
 * <pre>
 * events   the file to write to            reports   the folder for Surefire's reports
 * tested   modules whose tests run, as paths relative to `root`, blank between them; `*` is all
 * removed  artifact ids of plug-ins        include   a name pattern to add where a pom lists which tests run
 * timeout  seconds that the tests of one module may take       case   seconds for one JUnit 5 test
 * seed     for JUnit 5's random order              only      the one pattern of classes to run, if any
 * </pre>
 */
public final class RedgreenExtension {
    private static final String SUREFIRE = "org.apache.maven.plugins:maven-surefire-plugin";

    private RedgreenExtension() {}

    /** What was asked for, and the open file of events. Read once: the spy is there before the projects are. */
    static final class Order {
        private static Order read;
        final Properties asked = new Properties();
        final Writer events;
        final Path root;

        private Order() throws IOException {
            Path file = Paths.get(System.getProperty("redgreen.order"));
            try (Reader text = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                asked.load(text);
            }
            Files.delete(file);
            Path target = Paths.get(asked.getProperty("events"));
            events = new BufferedWriter(Files.newBufferedWriter(target, StandardOpenOption.CREATE_NEW));
            root = Paths.get(asked.getProperty("root")).toRealPath();
        }

        static synchronized Order get() {
            if (read == null) {
                try {
                    read = new Order();
                } catch (IOException fault) {
                    throw new IllegalStateException("redgreen: no order: " + fault, fault);
                }
            }
            return read;
        }

        Set<String> words(String name) {
            return new HashSet<>(Arrays.asList(asked.getProperty(name, "").trim().split("\\s+")));
        }

        boolean tests(MavenProject project) {
            Set<String> tested = words("tested");
            return tested.contains("*") || tested.contains(module(project));
        }

        /** The module's folder relative to the root, with `/`; the root itself is `.`. */
        String module(MavenProject project) {
            Path place = project.getBasedir().toPath().toAbsolutePath().normalize();
            try {
                place = place.toRealPath();
            } catch (IOException gone) {
                // as it is
            }
            String name = root.relativize(place).toString().replace(File.separatorChar, '/');
            return name.isEmpty() ? "." : name;
        }

        synchronized void tell(String... pairs) {
            StringBuilder line = new StringBuilder("{");
            for (int index = 0; index + 1 < pairs.length; index += 2) {
                line.append(index == 0 ? "" : ", ").append(quoted(pairs[index])).append(": ");
                line.append(quoted(pairs[index + 1]));
            }
            try {
                events.write(line.append("}\n").toString());
                events.flush();
            } catch (IOException fault) {
                throw new IllegalStateException("redgreen: events: " + fault, fault);
            }
        }

        private static String quoted(String text) {
            StringBuilder made = new StringBuilder("\"");
            for (char letter : String.valueOf(text).toCharArray()) {
                if (letter >= ' ' && letter < 127 && letter != '"' && letter != '\\') {
                    made.append(letter);
                } else {
                    made.append(String.format("\\u%04x", (int) letter));
                }
            }
            return made.append('"').toString();
        }
    }

    @Named("redgreen")
    @Singleton
    public static final class SetUp extends AbstractMavenLifecycleParticipant {
        @Override
        public void afterProjectsRead(MavenSession session) {
            Order order = Order.get();
            Set<String> removed = order.words("removed");
            int number = 0;
            for (MavenProject project : session.getProjects()) {
                if (project.getBuild().getPlugins().removeIf(plugin -> removed.contains(plugin.getArtifactId()))) {
                    project.getBuild().flushPluginMap();
                }
                // jacoco would have set it, and a pom may name it as @{argLine}
                if (project.getProperties().getProperty("argLine") == null) {
                    project.getProperties().setProperty("argLine", "");
                }
                Plugin surefire = project.getPlugin(SUREFIRE);
                if (surefire != null) {
                    for (PluginExecution execution : surefire.getExecutions()) {
                        execution.setConfiguration(configured(execution.getConfiguration(), order, project, number++));
                    }
                }
                order.tell(
                        "event", "project",
                        "module", order.module(project),
                        "packaging", project.getPackaging(),
                        "roots", String.join(File.pathSeparator, project.getTestCompileSourceRoots()));
            }
        }

        private static Xpp3Dom configured(Object before, Order order, MavenProject project, int number) {
            Xpp3Dom made = before == null ? new Xpp3Dom("configuration") : new Xpp3Dom((Xpp3Dom) before);
            File reports = new File(order.asked.getProperty("reports"), String.valueOf(number));
            reports.mkdirs(); // before anything runs: whoever watches has to be there first
            set(made, "reportsDirectory", reports.getPath());
            set(made, "forkCount", "1");
            set(made, "forkMode", null);
            set(made, "parallel", null);
            set(made, "threadCount", null);
            set(made, "perCoreThreadCount", null);
            set(made, "useUnlimitedThreads", null);
            set(made, "rerunFailingTestsCount", "0");
            set(made, "skipAfterFailureCount", "0");
            set(made, "testFailureIgnore", "false");
            set(made, "failIfNoTests", "false");
            set(made, "disableXmlReport", "false");
            set(made, "statelessTestsetReporter", null);
            set(made, "runOrder", "alphabetical");
            set(made, "forkedProcessTimeoutInSeconds", order.asked.getProperty("timeout"));
            if (!order.tests(project)) {
                set(made, "skipTests", "true");
            }
            if (order.asked.getProperty("only") != null) {
                set(made, "test", order.asked.getProperty("only"));
                set(made, "failIfNoSpecifiedTests", "false");
            }
            Xpp3Dom includes = made.getChild("includes");
            if (includes != null && includes.getChildCount() > 0) {
                Xpp3Dom ours = new Xpp3Dom("include");
                ours.setValue(order.asked.getProperty("include"));
                includes.addChild(ours);
            }
            alikeUnderJupiter(made, order);
            return made;
        }

        /** JUnit 5 takes these as system properties; what a pom says of parallel runs would win over them. */
        private static void alikeUnderJupiter(Xpp3Dom made, Order order) {
            Xpp3Dom properties = made.getChild("properties");
            Xpp3Dom parameters = properties == null ? null : properties.getChild("configurationParameters");
            if (parameters != null && parameters.getValue() != null) {
                parameters.setValue(parameters.getValue().replaceAll("(parallel\\.enabled\\s*[=:]\\s*)true", "$1false"));
            }
            Xpp3Dom variables = made.getChild("systemPropertyVariables");
            if (variables == null) {
                variables = new Xpp3Dom("systemPropertyVariables");
                made.addChild(variables);
            }
            set(variables, "junit.jupiter.execution.parallel.enabled", "false");
            set(variables, "junit.jupiter.execution.order.random.seed", order.asked.getProperty("seed"));
            if (variables.getChild("junit.jupiter.execution.timeout.default") == null) {
                set(variables, "junit.jupiter.execution.timeout.default", order.asked.getProperty("case") + " s");
            }
        }

        private static void set(Xpp3Dom parent, String name, String value) {
            for (int index = parent.getChildCount() - 1; index >= 0; index--) {
                if (parent.getChild(index).getName().equals(name)) {
                    parent.removeChild(index);
                }
            }
            if (value != null) {
                Xpp3Dom child = new Xpp3Dom(name);
                child.setValue(value);
                parent.addChild(child);
            }
        }

        @Override
        public void afterSessionEnd(MavenSession session) {
            Order.get().tell("event", "end");
        }
    }

    @Named("redgreen-spy")
    @Singleton
    public static final class Spy extends AbstractEventSpy {
        @Override
        public void onEvent(Object event) {
            if (!(event instanceof ExecutionEvent)) {
                return;
            }
            ExecutionEvent told = (ExecutionEvent) event;
            switch (told.getType()) {
                case MojoSucceeded:
                case MojoFailed:
                    mojo(told);
                    break;
                case ProjectSucceeded:
                case ProjectFailed:
                case ProjectSkipped:
                    Order order = Order.get();
                    order.tell(
                            "event", "module", "module", order.module(told.getProject()), "ended", told.getType().name(),
                            "why", why(told.getException()));
                    break;
                default:
            }
        }

        private static void mojo(ExecutionEvent told) {
            Order order = Order.get();
            MavenProject project = told.getProject();
            MojoExecution mojo = told.getMojoExecution();
            boolean tests = SUREFIRE.equals(mojo.getGroupId() + ":" + mojo.getArtifactId());
            if (!tests && told.getType() == ExecutionEvent.Type.MojoSucceeded) {
                return;
            }
            Xpp3Dom configuration = mojo.getConfiguration();
            Xpp3Dom reports = configuration == null ? null : configuration.getChild("reportsDirectory");
            order.tell(
                    "event", tests ? "tests" : "goal",
                    "module", order.module(project),
                    "goal", mojo.getArtifactId() + ":" + mojo.getGoal(),
                    "ended", told.getType().name(),
                    "why", why(told.getException()),
                    "roots", String.join(File.pathSeparator, project.getTestCompileSourceRoots()),
                    "reports", reports == null ? "" : String.valueOf(reports.getValue()));
        }

        /** The chain of exceptions, each `class: first line`, a bar between them; empty if there is none. */
        private static String why(Throwable fault) {
            StringBuilder made = new StringBuilder();
            for (Throwable one = fault; one != null; one = one.getCause()) {
                String said = String.valueOf(one.getMessage()).trim();
                made.append(made.length() == 0 ? "" : " | ").append(one.getClass().getSimpleName()).append(": ");
                made.append(said.split("\\R", 2)[0]);
            }
            return made.toString();
        }
    }
}
