// The build puts the module in as hexadecimal digits.
declare module '*/bulkheads_wasm_bg.wasm' {
  const hexadecimal: string;
  export default hexadecimal;
}

// And lays it beside the package's files, for hosts that import it.
declare module 'bulkheads.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
