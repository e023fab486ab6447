#!/usr/bin/env python3
"""Builds the reference of the library with DocC: Tools/reference.py BUILD OUTPUT [BASE]

BUILD is the folder of a build with its modules, such as .build/tests/debug. The reference goes to OUTPUT, to be served
below the path BASE of a host, by default `reference`. A warning of DocC is an error, and so is a public type that the
catalogue names in no group.

What MeshpipeKit passes on is one module to readers, as it is to programs that import it. Parameters and settings have
their help in their declaration and no comment besides; here it becomes their documentation.
"""

import ast
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import unquote, urlparse

MODULE = "MeshpipeKit"
CATALOGUE = pathlib.Path("Sources/MeshpipeKit/MeshpipeKit.docc")
# The declaration that a property's wrapper belongs to begins at most so many lines above it.
REACH = 14
LITERAL = r'"(?:[^"\\]|\\.)*"'
HELP = {
    "Parameter": re.compile(rf"@Parameter\(\s*(?:required:\s*)?({LITERAL})"),
    "Setting": re.compile(rf"@Setting\(.*?\bhelp:\s*({LITERAL})", re.DOTALL),
}


def fail(message):
    sys.exit(f"reference: {message}")


def exported_modules():
    """The modules that MeshpipeKit passes on, and those that these do."""
    found, open_modules = set(), [MODULE]
    while open_modules:
        for path in pathlib.Path("Sources", open_modules.pop()).rglob("*.swift"):
            names = re.findall(r"^@_exported public import (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
            open_modules += [name for name in names if name not in found]
            found.update(names)
    return sorted(found)


def extract(build, folder):
    """Writes the public symbols of the built modules."""
    target = json.loads(subprocess.check_output(["swift", "-print-target-info"]))["target"]["unversionedTriple"]
    maps = [*build.glob("C*.build/module.modulemap"), *pathlib.Path("Sources/CLibraries").rglob("module.modulemap")]
    command = ["swift", "symbolgraph-extract", "-module-name", MODULE, "-target", target, "-I", str(build / "Modules")]
    for path in sorted(maps):
        command += ["-Xcc", f"-fmodule-map-file={path}"]
    command += [
        f"-experimental-allowed-reexported-modules={','.join(exported_modules())}", "-minimum-access-level", "public",
        "-skip-synthesized-members", "-emit-extension-block-symbols", "-output-dir", str(folder)]
    if platform.system() == "Darwin":
        command += ["-sdk", subprocess.check_output(["xcrun", "--show-sdk-path"], text=True).strip()]
    if subprocess.run(command).returncode != 0:
        fail(f"the symbols of {MODULE} can't be read; is {build} an up-to-date build?")


def help_of(symbol):
    """The help in the declaration of a parameter or setting."""
    uri = symbol.get("location", {}).get("uri")
    if not uri:
        return None
    lines = pathlib.Path(unquote(urlparse(uri).path)).read_text(encoding="utf-8").splitlines()
    line = symbol["location"]["position"]["line"]
    text = "\n".join(lines[max(0, line - REACH):line + 1])
    for wrapper, pattern in HELP.items():
        start = text.rfind(f"@{wrapper}(")
        match = pattern.match(text[start:]) if start >= 0 else None
        if match:
            return ast.literal_eval(match[1])
    return None


def document_wrappers(folder):
    """Makes the help of parameters and settings their documentation; returns how many there are."""
    count = 0
    for path in folder.glob("*.symbols.json"):
        graph = json.loads(path.read_text(encoding="utf-8"))
        for symbol in graph["symbols"]:
            if symbol["kind"]["identifier"] == "swift.property" and "docComment" not in symbol:
                words = help_of(symbol)
                if words:
                    symbol["docComment"] = {"lines": [{"text": words}]}
                    count += 1
        path.write_text(json.dumps(graph), encoding="utf-8")
    return count


def convert(graphs, output, base):
    """Runs DocC, for which every warning is an error."""
    result = subprocess.run([
        shutil.which("docc") or "docc", "convert", str(CATALOGUE), "--additional-symbol-graph-dir", str(graphs),
        "--output-dir", str(output), "--fallback-display-name", MODULE, "--fallback-bundle-identifier", MODULE,
        "--fallback-default-module-kind", "Library", "--default-code-listing-language", "swift",
        "--transform-for-static-hosting", "--hosting-base-path", base, "--warnings-as-errors"],
        stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        print(result.stdout, file=sys.stderr)
        fail("DocC found faults")


def check_groups(output):
    """Fails if the front page lists symbols by kind, because the catalogue has no better group for them."""
    page = json.loads((output / "data/documentation" / f"{MODULE.lower()}.json").read_text(encoding="utf-8"))
    stray = [
        name.rsplit("/", 1)[-1] for section in page["topicSections"] if section.get("generated")
        for name in section["identifiers"]]
    if stray:
        fail(f"in no group of {CATALOGUE}: {', '.join(stray)}")


def main(build, output, base="reference"):
    build, output = pathlib.Path(build).resolve(), pathlib.Path(output).absolute()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    if not shutil.which("docc"):
        fail("no 'docc' on the PATH; it comes with the toolchain of Swift")
    with tempfile.TemporaryDirectory() as folder:
        graphs = pathlib.Path(folder, "graphs")
        graphs.mkdir()
        extract(build, graphs)
        helped = document_wrappers(graphs)
        # Beside the temporary graphs, so that a faulty reference replaces none that is whole.
        made = pathlib.Path(folder, "reference")
        convert(graphs, made, base)
        check_groups(made)
        shutil.rmtree(output, ignore_errors=True)
        shutil.move(made, output)
    pages = sum(1 for _ in (output / "data").rglob("*.json"))
    print(f"reference: {pages} pages, {helped} parameters and settings by their help")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        fail("Tools/reference.py BUILD OUTPUT [BASE]")
    main(*sys.argv[1:])
