import MeshPipeline

extension [CustomAttribute] {
  /// The same with consecutive columns `rot_0`, `rot_1` and so on of one type as one attribute `rot`.
  var joiningNumberedColumns: [CustomAttribute] {
    var result: [CustomAttribute] = []
    var start = 0
    while start < count {
      let (first, stem) = (self[start], String(self[start].name.dropLast(2)))
      var end = start + 1
      if first.name == stem + "_0", first.width == 1, self[stem] == nil {
        while end < count, self[end].type == first.type, self[end].width == 1,
          self[end].name == "\(stem)_\(end - start)"
        { end += 1 }
      }
      if end == start + 1 {
        result.append(first)
      } else {
        var values = first.values
        values.apply(InterleavedColumns(others: self[start + 1..<end].map(\.values)), width: 1)
        result.append(CustomAttribute(stem, width: end - start, values: values))
      }
      start = end
    }
    return result
  }
}

/// Puts the values of other columns after each value.
private struct InterleavedColumns: AttributeOperation {
  let others: [CustomAttribute.Values]

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    let columns = [values] + others.compactMap { $0.array as? [Value] }
    var result: [Value] = []
    result.reserveCapacity(columns.count * values.count)
    for row in values.indices { for column in columns { result.append(column[row]) } }
    values = result
  }
}
