//! Small projects of several files, each with characters before names that servers count differently.

/// A project in TypeScript.
pub(crate) const TYPESCRIPT: &[(&str, &str)] = &[
    (
        "tsconfig.json",
        r#"{"compilerOptions": {"strict": true, "target": "es2022", "module": "nodenext"}, "include": ["src"]}"#,
    ),
    (
        "package.json",
        r#"{"name": "x", "version": "1.0.0", "type": "module"}"#,
    ),
    (
        "src/shape.ts",
        "export interface Shape {
  area(): number
}

/* ä🦀 */ export class Circle implements Shape {
  constructor(readonly radius: number) {}
  area(): number {
    return Math.PI * this.radius ** 2
  }
}

/** Sum of two numbers. */
export function add(a: number, b: number): number {
  return a + b
}
",
    ),
    (
        "src/use.ts",
        "import { add, Circle } from './shape.js'

const ü = '🦀', total = add(1, 2)
export function twice(n: number): number {
  return add(n, n) + new Circle(total).area()
}
export { ü }
",
    ),
    (
        "src/other.ts",
        "import { add } from './shape.js'

export const wrong: string = add(1, 2)
export function run() {
  return add(3, 4)
}
",
    ),
];

/// Where `add` of [`TYPESCRIPT`] is declared and used.
pub(crate) const TYPESCRIPT_ADD: [&str; 7] = [
    "src/other.ts:1:10",
    "src/other.ts:3:30",
    "src/other.ts:5:10",
    "src/shape.ts:13:17",
    "src/use.ts:1:10",
    "src/use.ts:3:25",
    "src/use.ts:5:10",
];

/// A project in Python.
pub(crate) const PYTHON: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]\nname = \"x\"\nversion = \"1\"\n",
    ),
    (
        "shapes.py",
        "class Shape:
    def area(self) -> float:
        raise NotImplementedError


class Circle(Shape):
    def area(self) -> float:
        return 3.0


def add(a: int, b: int) -> int:
    \"\"\"Sum of two numbers.\"\"\"
    return a + b
",
    ),
    (
        "use.py",
        "from shapes import Circle, add

ü, total = '🦀', add(1, 2)


def twice(n: int) -> int:
    return add(n, n) + int(Circle().area())
",
    ),
    (
        "other.py",
        "import os
from shapes import add


def run() -> int:
    return add('🦀', 4) + missing
",
    ),
];

/// Where `add` of [`PYTHON`] is declared and used.
pub(crate) const PYTHON_ADD: [&str; 6] = [
    "other.py:2:20",
    "other.py:6:12",
    "shapes.py:11:5",
    "use.py:1:28",
    "use.py:3:18",
    "use.py:7:12",
];

/// A project in C. `ROOT` is its directory.
pub(crate) const C: &[(&str, &str)] = &[
    (
        "compile_commands.json",
        r#"[{"directory": "ROOT", "command": "cc -c add.c", "file": "add.c"},
            {"directory": "ROOT", "command": "cc -c use.c", "file": "use.c"},
            {"directory": "ROOT", "command": "cc -c other.c", "file": "other.c"}]"#,
    ),
    (
        "add.h",
        "#pragma once\n/* Sum of two numbers. */\nint add(int a, int b);\n",
    ),
    (
        "add.c",
        "#include \"add.h\"\n\nint add(int a, int b) { return a + b; }\n",
    ),
    (
        "use.c",
        "#include \"add.h\"

static const char *crab = \"ü🦀\"; int total(void) { return add(1, 2); }

int twice(int n) { return add(n, n) + total(); }
",
    ),
    (
        "other.c",
        "#include \"add.h\"\n\nint run(void) { return add(3, missing); }\n",
    ),
];

/// A project in bash.
pub(crate) const BASH: &[(&str, &str)] = &[
    (
        "lib.sh",
        "#!/usr/bin/env bash\n# Greets somebody.\ngreet() {\n  echo \"hello $1\"\n}\n",
    ),
    (
        "main.sh",
        "#!/usr/bin/env bash\nsource ./lib.sh\nname='ü🦀'; greet \"$name\"\ngreet world\n",
    ),
    (
        "bad.sh",
        "#!/usr/bin/env bash\nname='ü🦀'; echo $undefined_thing \"$name\"\n",
    ),
];

/// A project in Rust.
pub(crate) const RUST: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "src/main.rs",
        "mod shape;
use shape::{add, Area, Circle};

fn twice(n: i32) -> i32 {
    let _ü = \"🦀\"; add(n, n)
}

fn main() {
    println!(\"{} {}\", twice(2), Circle.area());
}
",
    ),
    (
        "src/shape.rs",
        "pub trait Area {
    fn area(&self) -> i32;
}

pub struct Circle;

impl Area for Circle {
    fn area(&self) -> i32 {
        add(1, 2)
    }
}

/// Sum of two numbers.
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}
",
    ),
];

/// A project in Go, of two packages.
pub(crate) const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.com/x\n\ngo 1.19\n"),
    (
        "shape/shape.go",
        "package shape

// Area is what every shape has.
type Area interface {
	Area() int
}

// Circle is round.
type Circle struct{}

// Area of a circle.
func (c Circle) Area() int { return Add(1, 2) }

// Add gives the sum of two numbers.
func Add(a, b int) int { return a + b }
",
    ),
    (
        "main.go",
        "package main

import \"example.com/x/shape\"

func twice(n int) int {
	_ = \"ü🦀\"; return shape.Add(n, n)
}

func main() {
	println(twice(2))
}
",
    ),
];
