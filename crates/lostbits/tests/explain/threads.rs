//! One report, however threads are scheduled: data-parallel programs, in which each thread works on a part of its own and
//! the parts are joined in order.

use serde_json::Value;

use crate::sandbox::Sandbox;

struct Parallel {
    source: &'static str,
    text: &'static str,
    /// The command that builds it, and its options.
    build: &'static [&'static str],
    /// The line whose errors are the result's: a false cause of another line is what a lost event leads to.
    cause: &'static str,
}

const PROGRAMS: [Parallel; 4] = [
    Parallel {
        source: "pthreads.c",
        text: PTHREADS,
        build: &["cc", "-O2", "-pthread"],
        cause: "pthreads.c:9:",
    },
    Parallel {
        source: "threads.cpp",
        text: CPP_THREADS,
        build: &["c++", "-O2", "-pthread"],
        cause: "threads.cpp:9:",
    },
    Parallel {
        source: "openmp.c",
        text: OPENMP,
        build: &["cc", "-O2", "-fopenmp", "-pthread"],
        cause: "openmp.c:10:",
    },
    Parallel {
        source: "threads.rs",
        text: RUST_THREADS,
        build: &["rustc", "-Copt-level=2"],
        cause: "threads.rs:4:",
    },
];

const PTHREADS: &str = "\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct part { double step, sum; };
static void *work(void *given) {
    struct part *part = given;
    double sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += part->step;
    part->sum = sum;
    return 0;
}
int main(int count, char **words) {
    pthread_t threads[4];
    struct part parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i].step = atof(words[1]) * (i + 3);
        pthread_create(&threads[i], 0, work, &parts[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], 0);
        printf(\"%.17g\\n\", parts[i].sum);
    }
    return count > 9;
}
";

const CPP_THREADS: &str = "\
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
static void work(double step, double *result)
{
    double sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += step;
    *result = sum;
}
int main(int, char **words)
{
    std::vector<double> results(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, std::atof(words[1]) * (i + 3), &results[i]);
    for (int i = 0; i < 4; i++) {
        threads[i].join();
        std::printf(\"%.17g\\n\", results[i]);
    }
}
";

const OPENMP: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double step = atof(words[1]), results[4];
    // As many threads as parts, whatever the machine has.
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int part = 0; part < 4; part++) {
        double sum = 0;
        for (int i = 0; i < 20000; i++)
            sum += step * (part + 3);
        results[part] = sum;
    }
    for (int part = 0; part < 4; part++)
        printf(\"%.17g\\n\", results[part]);
    return count > 9;
}
";

const RUST_THREADS: &str = "\
fn work(step: f64) -> f64 {
    let mut sum = 0.0;
    for _ in 0..20000 {
        sum += step;
    }
    sum
}
fn main() {
    let step: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let threads: Vec<_> = (0..4).map(|part| std::thread::spawn(move || work(step * f64::from(part + 3)))).collect();
    for thread in threads {
        println!(\"{}\", thread.join().unwrap());
    }
}
";

/// Builds each program once, and explains it this often.
fn one_report_each(times: usize) {
    for program in &PROGRAMS {
        let sandbox = Sandbox::new();
        sandbox.write(program.source, program.text);
        let mut build = sandbox.lostbits(program.build);
        build.env("LOSTBITS_MODE", "explain");
        sandbox.succeed(build.args([program.source, "-o", "program"]));
        let first = sandbox.show(&mut sandbox.lostbits(&["explain", "./program", "0.1"]));
        assert!(first.starts_with("exit 1\n"), "{first}");
        let causes: Vec<&str> = first.lines().filter(|line| line.contains("-->")).collect();
        assert_eq!(causes.len(), 1, "{first}");
        assert!(causes[0].contains(program.cause), "{first}");
        // JSON has everything that was found; what the runs took is not of the report.
        let explain = || {
            let words = [
                "explain",
                "--format=json",
                "--report=report",
                "./program",
                "0.1",
            ];
            sandbox.show(&mut sandbox.lostbits(&words));
            let mut report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
            report.as_object_mut().expect("an object").remove("passes");
            report
        };
        let first = explain();
        for run in 1..times {
            let report = explain();
            assert!(
                report == first,
                "{}, run {run}: {report:#}\ninstead of {first:#}",
                program.source
            );
        }
    }
}

#[test]
fn data_parallel_programs_have_one_report() {
    one_report_each(5);
}

/// `make test-threads`.
#[test]
#[ignore = "takes minutes"]
fn data_parallel_programs_have_one_report_in_a_hundred_runs() {
    one_report_each(100);
}
