/// The name in `names` that the user may have meant by `name`, or nil if none is near.
///
/// Compared ignoring case by the Damerau-Levenshtein distance (optimal string alignment); near
/// means that at most a third of the letters differ, or one of a shorter name, but not all.
package func nearestName(to name: String, in names: some Sequence<String>) -> String? {
  let wanted = Array(name.lowercased())
  let candidates = names.map { candidate in
    (candidate, editDistance(wanted, Array(candidate.lowercased())))
  }
  guard let (nearest, distance) = candidates.min(by: { $0.1 < $1.1 }) else { return nil }
  let length = max(wanted.count, nearest.count)
  return distance < length && distance <= max(1, length / 3) || distance == 0 ? nearest : nil
}

/// The hint for a wrong name: the nearest one, or all known ones.
package func nameHint(_ name: String, among names: [String]) -> String {
  if let near = nearestName(to: name, in: names) { return "; did you mean '\(near)'?" }
  guard let only = names.first else { return "" }
  return names.count == 1
    ? "; there is only '\(only)'" : "; there are \(names.joined(separator: ", "))"
}

private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
  var twoAbove: [Int] = []
  var above = Array(0...b.count)
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var best = min(above[j + 1], row[j]) + 1
      best = min(best, above[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, twoAbove[j - 1] + 1) }
      row.append(best)
    }
    (twoAbove, above) = (above, row)
  }
  return above[b.count]
}
