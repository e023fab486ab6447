/// A text escaped for an XML attribute, or between tags.
func escapedForXML(_ text: String) -> String {
  var result = ""
  for character in singleLine(text) {
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.append(character)
    }
  }
  return result
}
