import MeshpipeBase
import MeshpipeScene

/// An array of plain values that a plugin may read in place.
protocol LendableArray {
  var byteCount: Int { get }
  /// Calls `body` with the address, which is valid until it returns.
  func withAddress<Result>(_ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result
}

/// The element types of a scene's arrays: contiguous numbers.
protocol PlainValue: BitwiseCopyable {}

extension Float: PlainValue {}
extension Double: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension Vector2: PlainValue {}
extension Vector3: PlainValue {}
extension Color: PlainValue {}
extension Tangent: PlainValue {}

extension Array: LendableArray where Element: PlainValue {
  var byteCount: Int { count * MemoryLayout<Element>.stride }

  func withAddress<Result>(_ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
    try unsafe withUnsafeBytes { bytes in
      // An empty array still exists, and NULL would mean that it does not.
      guard let address = bytes.baseAddress else {
        var nothing = UInt64(0)
        return try unsafe body(&nothing)
      }
      return try unsafe body(address)
    }
  }
}

/// Arrays, and the structure fields that hold their addresses while a plugin runs.
struct PluginLoans {
  private struct Loan {
    var array: any LendableArray
    /// The address of the field.
    var field: UInt
  }

  /// The maximum number of arrays lent in place.
  ///
  /// Each adds a nested call. The remaining, smaller ones are copied.
  private static let maximumInPlace = 200

  private var loans: [Loan] = []

  /// Lends an array, unless it is nil, through a field of a structure.
  mutating func lend<Structure, Field>(
    _ array: (any LendableArray)?, _ structure: UnsafeMutablePointer<Structure>,
    _ field: WritableKeyPath<Structure, Field>
  ) {
    guard let array, let offset = MemoryLayout<Structure>.offset(of: field) else { return }
    let address = UInt(bitPattern: structure) + UInt(offset)
    loans.append(Loan(array: array, field: address))
  }

  /// Calls `body` while all addresses are in their fields.
  ///
  /// - Parameter body: Receives the arrays by address.
  func whileLent<Result>(
    through memory: PluginMemory, _ body: ([UInt: any LendableArray]) throws -> Result
  ) throws -> Result {
    let largestFirst = loans.sorted { $0.array.byteCount > $1.array.byteCount }
    var arrays: [UInt: any LendableArray] = [:]
    for loan in largestFirst.dropFirst(Self.maximumInPlace) {
      let copy = unsafe try memory.copy(loan.array)
      unsafe Self.set(loan, to: copy, in: memory, arrays: &arrays)
    }
    return try Self.nest(
      largestFirst.prefix(Self.maximumInPlace), in: memory, arrays: &arrays, body)
  }

  private static func nest<Result>(
    _ loans: ArraySlice<Loan>, in memory: PluginMemory, arrays: inout [UInt: any LendableArray],
    _ body: ([UInt: any LendableArray]) throws -> Result
  ) throws -> Result {
    guard let loan = loans.first else { return try body(arrays) }
    return try unsafe loan.array.withAddress { address in
      unsafe set(loan, to: address, in: memory, arrays: &arrays)
      return try nest(loans.dropFirst(), in: memory, arrays: &arrays, body)
    }
  }

  private static func set(
    _ loan: Loan, to address: UnsafeRawPointer, in memory: PluginMemory,
    arrays: inout [UInt: any LendableArray]
  ) {
    unsafe UnsafeMutablePointer<UnsafeRawPointer>(bitPattern: loan.field)?.pointee = address
    let key = UInt(bitPattern: address)
    memory.lend(key, count: loan.array.byteCount)
    arrays[key] = loan.array
  }
}
