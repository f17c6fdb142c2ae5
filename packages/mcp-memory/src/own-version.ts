/** The version of the package, e.g. `0.2.0`. Sources that aren't built have none: `0.0.0`. */
export const ownVersion = globalThis.JAF_RELEASE?.split(" ").at(-1) ?? "0.0.0";
