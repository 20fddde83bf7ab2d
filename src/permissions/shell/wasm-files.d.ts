/** Modules of the shell parser, embedded in the executable. */
declare module "*.wasm" {
  const path: string;
  export default path;
}
