import MeshPipeline

extension [CustomAttribute] {
  /// The same with numbered attributes of one value each as one attribute.
  var joiningNumberedColumns: [CustomAttribute] {
    NumberedColumns.groups(of: map { ($0.name, $0.width == 1 ? $0.type : nil) }).map { group in
      let columns = self[group.range]
      guard columns.count > 1, var values = columns.first?.values else {
        return columns[group.range.lowerBound]
      }
      values.apply(InterleavedColumns(others: columns.dropFirst().map(\.values)), width: 1)
      return CustomAttribute(group.name, width: columns.count, values: values)
    }
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
