"""The tidy test's own test: small good and bad snippets, and what must be found in them."""

import json
import tempfile
import unittest
from pathlib import Path

import cpp
import rooms
import rules
import tidy

UNFINISHED = "TO" "DO"


def texts(findings):
    return [text for _, _, text in findings]


def body(lines):
    return "  work();\n" * lines


class Functions(unittest.TestCase):
    def lengths(self, source):
        return {function.name: function.lines for function in cpp.functions(source)}

    def test_counts_from_the_declaration_to_the_last_brace(self):
        source = "int a() { return 1; }\n\nint b(int x,\n      int y) {\n  return x;\n}\n"
        self.assertEqual(self.lengths(source), {"a": 1, "b": 4})
        self.assertEqual([f.first_line for f in cpp.functions(source)], [1, 3])

    def test_finds_members_in_classes_in_namespaces(self):
        source = (
            "namespace a::b {\nnamespace {\nclass C : public D<int(char)> {\n public:\n"
            "  C() : x_{1}, y_(2) {\n    f();\n  }\n\n private:\n  int g() const { return x_; }\n"
            "  int x_{0};\n  int y_ = 3;\n};\n}  // namespace\n}  // namespace a::b\n"
        )
        self.assertEqual(self.lengths(source), {"C": 3, "g": 1})

    def test_braces_that_are_no_bodies_hide_nothing(self):
        source = (
            "const std::map<int, int> kA = {{1, 2}, {3, 4}};\nint k{f(1)};\n"
            "void g(std::vector<int> v = {1}, F f = [] { return 1; });\n"
            "enum class E : uint8_t { kX, kY };\nstruct alignas(64) S {\n  int a;\n};\n"
            "template <class T, typename U = X<int>>\nvoid h(T t) {\n  t();\n}\n"
        )
        self.assertEqual(self.lengths(source), {"h": 4})

    def test_comments_literals_and_directives_do_not_count(self):
        source = (
            "// void a() {\n/* { */\n#define OPEN() {\nvoid b() {\n  s = \"{\" R\"x({)\" {)x\";\n"
            "  c = '{' + '\\'' + 1'000'000;\n}\nvoid d() {}\n"
        )
        self.assertEqual(self.lengths(source), {"b": 4, "d": 1})

    def test_knows_test_macros_lambdas_and_operators(self):
        source = (
            "TEST(A, B) {\n  if (x) {\n    y();\n  }\n}\n"
            "constexpr auto kF = [](int a) {\n  return a;\n};\n"
            "bool operator==(const A& a, const A& b) { return true; }\n"
        )
        self.assertEqual(list(self.lengths(source).values()), [5, 3, 1])

    def test_seventy_lines_are_the_limit(self):
        good = "void f() {\n" + body(68) + "}\n"
        bad = "void f() {\n" + body(69) + "}\n"
        self.assertEqual(texts(rules.check_cpp("src/core/a.cc", good)), [])
        self.assertIn("71 lines", texts(rules.check_cpp("src/core/a.cc", bad))[0])
        good = "def f():\n" + " x()\n" * 69
        self.assertEqual(texts(rules.check_python("a.py", good)), [])
        self.assertIn("71 lines", texts(rules.check_python("a.py", good + " x()\n"))[0])


class Text(unittest.TestCase):
    def test_white_space(self):
        self.assertEqual(texts(rules.check_text("a.md", "a\n\nb\n")), [])
        for bad in ("a\nb \n", "a\n\tb\n", "a\nb", "a\nb\r\n", "a\n \n"):
            findings = list(rules.check_text("a.md", bad))
            self.assertEqual([(path, at) for path, at, _ in findings], [("a.md", 2)], bad)

    def test_columns_count_characters(self):
        self.assertEqual(texts(rules.check_code("a.cc", "µ" * 100 + "\n")), [])
        self.assertIn("101 columns", texts(rules.check_code("a.cc", "µ" * 101 + "\n"))[0])

    def test_file_length(self):
        self.assertEqual(texts(rules.check_code("a.cc", "a\n" * 600)), [])
        self.assertIn("601 lines", texts(rules.check_code("a.cc", "a\n" * 601))[0])

    def test_unfinished_work(self):
        self.assertEqual(len(texts(rules.check_code("a.py", f"# {UNFINISHED}: later\n"))), 1)
        self.assertEqual(texts(rules.check_code("a.py", "TODOMAIN = 1  # XXXL\n")), [])

    def test_names(self):
        self.assertEqual(texts(rules.check_name("src/core/a.cc")), [])
        self.assertEqual(len(texts(rules.check_name("src/core/a.hpp"))), 1)

    def test_python_must_parse(self):
        self.assertIn("not Python", texts(rules.check_python("a.py", "def f(:\n"))[0])


class Cpp(unittest.TestCase):
    def findings(self, source, path="src/core/a.cc"):
        return texts(rules.check_cpp(path, source))

    def test_banned(self):
        for bad in (
            'auto s = std::format("{}", 1);',
            'sprintf(buffer, "%d", 1);',
            "strcpy(a, b);",
            "int n = std::atoi(text);",
            "using namespace std;",
            "int n = rand() % 6;",
            "#if 0\nint a;\n#endif",
            "assert(n > 0);",
            "std::exit(1);",
            "std::cout << n;",
            'std::fprintf(stderr, "x");',
            'fmt::print("x");',
        ):
            self.assertEqual(len(self.findings(bad + "\n")), 1, bad)

    def test_not_banned(self):
        for good in (
            "static_assert(sizeof(int) == 4);",
            "// std::format would do, but GCC 12 has none; assert(x) neither",
            'auto s = "printf(1)";',
            "brand(1);",
            "result.format();",
            "std::formatter<int> f;",
            "_exit(1);",
            "on_exit(1);",
            'auto s = fmt::format("{}", 1);',
        ):
            self.assertEqual(self.findings(good + "\n"), [], good)

    def test_only_the_face_prints(self):
        source = 'fmt::print("x");\n'
        for path in ("src/main.cc", "src/cli/a.cc", "src/report/a.cc", "tests/core/a_test.cc"):
            self.assertEqual(self.findings(source, path), [], path)
        self.assertEqual(len(self.findings(source, "src/net/a.cc")), 1)

    def test_parent_includes(self):
        self.assertEqual(len(self.findings('#include "../core/a.h"\n')), 1)
        self.assertEqual(len(self.findings('#include "core/../net/a.h"\n')), 1)
        self.assertEqual(self.findings('// #include "../core/a.h"\n'), [])

    def test_headers(self):
        good = "// What it is.\n#pragma once\n\nint a();\n"
        self.assertEqual(self.findings(good, "src/core/a.h"), [])
        self.assertEqual(len(self.findings("int a();\n", "src/core/a.h")), 1)
        self.assertEqual(len(self.findings("#include <a>\n#pragma once\n", "src/core/a.h")), 1)
        bad = "#pragma once\nusing namespace fmt;\n"
        self.assertEqual(len(self.findings(bad, "src/core/a.h")), 1)


CMAKE = """
# cqlperf_room(ghost ROOMS core)
cqlperf_room(core ROOMS LIBRARIES fmt::fmt)
cqlperf_room(net ROOMS core)
cqlperf_room(client ROOMS net
  LIBRARIES x)
cqlperf_room(cli ROOMS client)
"""
ROOMS = {"core": [], "net": ["core"], "client": ["net"], "cli": ["client"]}


class Rooms(unittest.TestCase):
    def includes(self, path, *names):
        source = "".join(f'#include "{name}"\n' for name in names)
        return texts(rooms.check_includes(ROOMS, path, source))

    def test_parse_and_closure(self):
        self.assertEqual(rooms.parse(CMAKE), ROOMS)
        self.assertEqual(rooms.closure(ROOMS, "client"), {"client", "net", "core"})

    def test_order(self):
        self.assertEqual(texts(rooms.check_order(ROOMS)), [])
        self.assertEqual(len(texts(rooms.check_order({"a": ["b"], "b": ["a"]}))), 1)

    def test_includes_within_the_closure(self):
        self.assertEqual(self.includes("src/client/a.cc", "client/a.h", "net/b.h", "core/c.h"), [])
        self.assertEqual(self.includes("src/main.cc", "cli/a.h", "core/c.h"), [])

    def test_undeclared_includes(self):
        self.assertEqual(
            self.includes("src/core/a.cc", "core/a.h", "client/connection.h"),
            ["room core may not include room client (CMakeLists.txt)"],
        )
        self.assertEqual(len(self.includes("src/net/a.h", "a.h", "other/b.h", "cli/c.h")), 3)

    def test_folders(self):
        paths = ["src/main.cc", "src/core/a.h", "src/net/a.h", "src/client/a.h", "src/cli/a.h"]
        self.assertEqual(texts(rooms.check_folders(ROOMS, paths)), [])
        self.assertEqual(len(texts(rooms.check_folders(ROOMS, paths[:-1] + ["src/old/a.h"]))), 2)

    def test_table(self):
        table = (
            "    core    results      <- (nothing)\n    net     sockets      <- core\n"
            "    client  connections  <- net\n    cli     flags        <- client\n"
        )
        self.assertEqual(texts(rooms.check_table(ROOMS, table)), [])
        for old, new, findings in (("<- net", "<- core", 1), ("cli  ", "old  ", 2)):
            bad = table.replace(old, new)
            self.assertEqual(len(texts(rooms.check_table(ROOMS, bad))), findings, bad)

    def test_dead_headers(self):
        sources = {"src/core/a.h": "", "src/core/a.cc": '#include "core/a.h"\n'}
        self.assertEqual(len(texts(rooms.check_dead_headers(sources))), 1)
        sources["src/net/b.cc"] = '#include "core/a.h"\n'
        self.assertEqual(texts(rooms.check_dead_headers(sources)), [])

    def test_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            commands = root / "compile_commands.json"
            entry = {"directory": folder, "file": str(root / "src/core/a.cc"), "command": "g++"}
            commands.write_text(json.dumps([entry]))
            paths = ["src/core/a.cc", "src/core/b.cc", "src/core/b.h"]
            findings = list(rooms.check_compiled(paths, [commands], root))
        self.assertEqual([path for path, _, _ in findings], ["src/core/b.cc"])


class Tree(unittest.TestCase):
    def test_kinds(self):
        for path, text, expected in (
            ("src/a.h", "", "cpp"),
            ("scripts/test", "#!/usr/bin/env bash\n", "shell"),
            ("tests/tidy/tidy.py", "", "python"),
            ("scripts/x", "#!/usr/bin/env python3\n", "python"),
            ("tests/CMakeLists.txt", "", "cmake"),
            ("LICENSE", "text\n", "text"),
            ("tests/data/a.bin", "", None),
        ):
            self.assertEqual(tidy.kind(path, text), expected, path)

    def test_passes_over_what_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path in (".ci/run", ".git/x", "build/a.cc", "scripts/build", "src/core/a.cc"):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text("")
            self.assertEqual(tidy.tree(root), [".ci/run", "scripts/build", "src/core/a.cc"])

    def test_outside_checkers(self):
        self.assertEqual(list(tidy.run_tool(Path("."), ["true"], "x")), [])
        self.assertIn("wrong", texts(tidy.run_tool(Path("."), ["false"], "wrong"))[0])
        self.assertIn("not installed", texts(tidy.run_tool(Path("."), ["no-such-tool"], ""))[0])


if __name__ == "__main__":
    unittest.main()
