import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

/// The version stands in one place, and whatever has to repeat it agrees.
struct VersionTests {
  @Test func `the version is one of three numbers`() {
    #expect(meshpipeVersion.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
  }

  @Test func `the changelog begins with it`() throws {
    let heading = try Checkout.text("CHANGELOG.md").firstMatch(
      of: /\n## \[([^\]]+)\] - (Unreleased|\d{4}-\d\d-\d\d)\n/)
    #expect(heading?.1 == meshpipeVersion[...])
  }

  @Test func `the Python module has it, and its package takes it from there`() throws {
    let module = try Checkout.text("bindings/python/meshpipe/_version.py")
    #expect(module == "__version__ = \"\(meshpipeVersion)\"\n")
    let package = try Checkout.text("bindings/python/pyproject.toml")
    #expect(package.contains(#"version = { attr = "meshpipe._version.__version__" }"#))
    #expect(package.contains(#"dynamic = ["version"]"#))
  }

  @Test func `packages are named by it`() throws {
    let printed = try Program.run(Checkout.path("packaging/version.sh"), [])
    #expect(printed.output == meshpipeVersion + "\n")
    let script = try Checkout.text("packaging/dist.sh")
    for name in [
      "version=$(packaging/version.sh)", "name=meshpipe-$version-linux-$arch", "dist/$name.tar.gz",
      "dist/meshpipe_${version}_$(dpkg --print-architecture).deb", "Version: $version",
      #"wheel.py "$tree" "$version" dist"#, "sha256sum meshpipe* > SHA256SUMS",
    ] {
      #expect(script.contains(name), "\(name)")
    }
    let action = try Checkout.text("action.yml")
    #expect(action.contains("meshpipe-$number-linux-$(uname -m).tar.gz"))
  }

  @Test func `no other file of the packaging has a version of its own`() throws {
    let files = try Checkout.trackedFiles().filter {
      $0.hasPrefix("packaging/") || $0.hasPrefix(".github/")
        || [".spi.yml", "action.yml", "Makefile", "mkdocs.yml"].contains($0)
    }
    for file in files {
      #expect(!(try Checkout.text(file).contains(meshpipeVersion)), "\(file)")
    }
    let page = try Checkout.text("docs/install.md")
    #expect(page.matches(of: /meshpipe@v([\d.]+)/).map(\.1) == [meshpipeVersion[...]])
  }
}
