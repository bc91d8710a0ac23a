irdl.dialect @cmath {
  irdl.operation @norm {
    %0 = irdl.any
    irdl.operands(x: %0)
    irdl.results(r: %0)
  }
}
