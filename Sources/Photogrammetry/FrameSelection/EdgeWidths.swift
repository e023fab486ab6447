/// The widths of an image's edges across each of ``DirectionalDetail/directions``, as logarithms to base 2.
package struct EdgeWidths: Sendable, Equatable {
  private let widths: [Float?]

  /// - Parameter width: Nil for a direction without edges.
  init(_ width: (SIMD2<Float>) -> Float?) { widths = DirectionalDetail.directions.map(width) }

  /// The width for a direction, by its place in the list; nil without edges.
  subscript(direction: Int) -> Float? { widths[direction] }
}
