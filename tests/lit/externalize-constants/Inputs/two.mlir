module {}
// -----
module {}
