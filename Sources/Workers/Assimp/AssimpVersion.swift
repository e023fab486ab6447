internal import CAssimp
package import NativeLibraries

extension LibraryVersions {
  /// The linked Assimp.
  package static var assimp: Library {
    let numbers = [aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch()]
    return Library(name: "Assimp", version: numbers.map(String.init).joined(separator: "."))
  }
}
