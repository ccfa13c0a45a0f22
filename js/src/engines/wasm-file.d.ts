// The build puts the module in as text.
declare module '*/bulkheads_wasm_bg.wasm' {
  const text: string;
  export default text;
}

// And lays it beside the package's files, for hosts that import it.
declare module 'bulkheads.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
