import MeshTestSupport
import Testing

/// Package.swift says what each library is called in Debian and Homebrew, and so does Tools/setup.sh.
struct PackageListTests {
  @Test(arguments: ["apt", "brew"])
  func `the set-up installs what Package.swift names`(manager: String) throws {
    let named = try Checkout.text("Package.swift").matches(of: /\.(apt|brew)\(\[([^\]]*)\]\)/)
      .filter { $0.1 == manager }
      .flatMap { $0.2.split(separator: ",") }
      .map { $0.filter { $0 != "\"" && !$0.isWhitespace } }
    #expect(!named.isEmpty)
    let script = try Checkout.text("Tools/setup.sh")
    let list = try #require(
      script.split(separator: "\n").first { $0.hasPrefix("\(manager)_packages=") })
    let installed = list.split { "=\" ".contains($0) }.dropFirst().map(String.init)
    // three.js has no header: a target takes it in as it is.
    let tools: Set = ["g++", "git", "pkg-config", "pkgconf", "libjs-three"]
    #expect(Set(installed).subtracting(tools) == Set(named))
  }

  @Test func `the installation page names every package`() throws {
    let page = try Checkout.text("docs/install.md")
    for match in try Checkout.text("Package.swift").matches(of: /"(lib[a-z0-9-]+-dev)"/) {
      #expect(page.contains(match.1))
    }
  }
}
