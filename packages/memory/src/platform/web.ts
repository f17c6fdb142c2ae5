// What `#platform` is everywhere else, by the web's standards alone: in browsers and at the edge.
export { base64Of, base64urlOf, bytesIn, sameBytes } from "./web-bytes.ts";
export { sha1, sha256, sha512t256, startSha512t256 } from "./web-digest.ts";
