import MeshpipeBase

/// Options whose value may be a file.
extension PipelineResolver {
  /// The object in the file that a value names, in the place of the path.
  ///
  /// Where the value is typed as an argument, its path is relative to the current folder, else to the folder of the file
  /// that it stands in.
  ///
  /// - Parameter written: The value before variables were replaced.
  /// - Returns: The value itself if it names no file; nil if the file is at fault, which is reported.
  mutating func content(
    _ value: JSONValue, of declaration: ParameterDeclaration?, asWritten written: JSONValue,
    at place: JSONPath
  ) -> JSONValue? {
    guard case .choiceOrFile(let names)? = declaration?.type, let name = value.text,
      !names.contains(name), name.isPathOfJSON
    else { return value }
    let variable = written.text?.wholeVariableName
    let isArgument =
      value.position.isArgument || variable.map { givenVariables.contains($0) } == true
    let current = source.locate(value.position).file
    let path =
      isArgument || name.hasPrefix("/") || current.isEmpty
      ? name : FileSystem.path(of: name, beside: current)
    if let known = optionFiles.first(where: { $0.path == path }) { return known.value }
    let content = content(ofFile: path, at: value.position, place)
    optionFiles.append((path, content))
    return content
  }

  private mutating func content(
    ofFile path: String, at position: SourcePosition, _ place: JSONPath
  ) -> JSONValue? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.contents(of: path, limit: PipelineDocument.largestFile)
    } catch {
      report(error.message, at: position, place)
      return nil
    }
    let result = JSONReader.read(bytes, file: path)
    diagnostics += result.diagnostics
    guard let value = result.value, result.diagnostics.isEmpty else { return nil }
    let moved = value.moved(to: source.add(included: path))
    guard case .object = moved.content else {
      report(
        "expected an object of options, found \(value.kindDescription)", at: moved.position, place)
      return nil
    }
    return moved
  }
}

extension String {
  /// Whether an option that takes words means a file by the text.
  package var isPathOfJSON: Bool { contains("/") || fileExtension(of: self) == "json" }
}
