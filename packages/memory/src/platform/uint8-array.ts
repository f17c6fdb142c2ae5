const tag = /* @__PURE__ */ Object.getOwnPropertyDescriptor(
  /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as (this: unknown) => string | undefined;

/** Also one of another realm, or of a class of its own such as `Buffer`; nothing else passes for one. */
export const isUint8Array = (value: unknown): value is Uint8Array => tag.call(value) === "Uint8Array";
