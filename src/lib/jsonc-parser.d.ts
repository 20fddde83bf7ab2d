/**
 * The part of the parser that reads. Its main module builds tables for formatting as well whenever it is loaded, which
 * takes longer than reading a small file.
 */
declare module "jsonc-parser/lib/esm/impl/parser.js" {
  export { findNodeAtLocation, getNodeValue, parseTree, visit } from "jsonc-parser";
}
