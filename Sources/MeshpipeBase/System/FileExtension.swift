/// The lower-case extension of a path without the dot; empty if there is none.
package func fileExtension(of path: String) -> String {
  let name = path.split(separator: "/").last ?? ""
  guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
  return name[name.index(after: dot)...].lowercased()
}
