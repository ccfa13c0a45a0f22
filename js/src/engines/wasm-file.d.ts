// The build puts the module in as base64.
declare module '*.wasm' {
  const base64: string;
  export default base64;
}
