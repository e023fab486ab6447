extension JSONValue {
  /// The same value with another position throughout.
  package func moved(to position: SourcePosition) -> JSONValue {
    switch content {
    case .array(let elements):
      JSONValue(.array(elements.map { $0.moved(to: position) }), at: position)
    case .object(let members):
      JSONValue(
        .object(
          members.map {
            Member($0.key, $0.value.moved(to: position), keyPosition: position)
          }), at: position)
    default: JSONValue(content, at: position)
    }
  }

  /// The same value without positions.
  package var withoutPositions: JSONValue { moved(to: .none) }
}
