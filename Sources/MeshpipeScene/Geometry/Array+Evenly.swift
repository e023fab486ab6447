extension Array {
  /// At most this many elements, at even steps and in their order: a sample that is the same each time.
  package func evenly(atMost limit: Int) -> [Element] {
    guard count > limit else { return self }
    return (0..<limit).map { self[$0 * count / limit] }
  }
}
