/** What is left of a value after JSON: dates are ISO texts, functions are gone. */
export type Serialized<T> = T extends Date | URL
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : unknown extends T
      ? unknown
      : T extends readonly (infer Item)[]
        ? readonly Serialized<Item>[]
        : T extends object
          ? { readonly [Field in keyof T]: Serialized<T[Field]> }
          : never;
