// The build puts the module in as hexadecimal digits.
declare module '*.wasm' {
  const hexadecimal: string;
  export default hexadecimal;
}
