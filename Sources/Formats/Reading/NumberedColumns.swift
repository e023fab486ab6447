import MeshPipeline

/// Columns that belong together: consecutive ones of one type, whose names end in `_0`, `_1` and so on, are one
/// attribute with several values, so that `rot_0` to `rot_3` are `rot`.
struct NumberedColumns {
  let name: String
  let range: Range<Int>

  /// Groups columns; one that belongs to none is a group of its own.
  ///
  /// - Parameter columns: Names and types; a column without a type stays alone.
  static func groups(of columns: [(name: String, type: NumberType?)]) -> [NumberedColumns] {
    var groups: [NumberedColumns] = []
    var start = 0
    while start < columns.count {
      var (name, end) = (columns[start].name, start + 1)
      let stem = String(name.dropLast(2))
      if let type = columns[start].type, name.hasSuffix("_0"),
        !columns.contains(where: { $0.name == stem })
      {
        while end < columns.count, columns[end].type == type,
          columns[end].name == "\(stem)_\(end - start)"
        { end += 1 }
        if end > start + 1 { name = stem }
      }
      groups.append(NumberedColumns(name: name, range: start..<end))
      start = end
    }
    return groups
  }
}
