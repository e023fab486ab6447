/// A comment of a text of points that names a class: `classification 20 sofa`.
struct ClassRemark {
  let label: Int
  let name: String

  init(label: Int, name: String) { (self.label, self.name) = (label, name) }

  /// - Parameter text: What follows the mark of a comment.
  init?(_ text: Substring) {
    let parts = text.split(maxSplits: 2) { $0 == " " || $0 == "\t" }
    guard parts.count == 3, parts[0] == "classification", let label = Int(parts[1]) else {
      return nil
    }
    self.init(label: label, name: String(parts[2]))
  }

  var text: String { "classification \(label) \(name)" }
}
