/// The observations of two kinds of landmarks by the same cameras.
struct JointTerms<First: LandmarkTerms, Second: LandmarkTerms>: LandmarkTerms {
  let first: First
  let second: Second

  var landmarkCount: Int { first.landmarkCount + second.landmarkCount }
  var unknownCount: Int { first.unknownCount }

  func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double]) {
    if landmark < first.landmarkCount {
      first.addProduct(of: landmark, with: vector, to: &sums)
    } else {
      second.addProduct(of: landmark - first.landmarkCount, with: vector, to: &sums)
    }
  }

  func addRightHandSide(of landmark: Int, to sums: inout [Double]) {
    if landmark < first.landmarkCount {
      first.addRightHandSide(of: landmark, to: &sums)
    } else {
      second.addRightHandSide(of: landmark - first.landmarkCount, to: &sums)
    }
  }
}
