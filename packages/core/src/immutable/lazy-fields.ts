/** Its constructor gives back the object that it is given: a subclass has its private fields put on that. */
const Given = class {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: see above
    return object;
  }
};

/**
 * Puts fields on an object that are made of its source whenever they are read. An `AbortSignal`, which few model providers
 * and tools ask for, costs more than all the rest of a call. A copy by `{ ...it }` has the fields, too. Nobody who has the
 * object gets at its source.
 *
 * To be called once for all objects of a kind, which so have one shape: an accessor of its own for each would be slow.
 */
export function lazyFields<Source, Made extends object>(
  makers: {
    readonly [Key in keyof Made]: (source: Source) => Made[Key];
  },
): <T extends object>(object: T, source: Source) => T & Made {
  class WithSource extends Given {
    readonly #source: Source;
    constructor(object: object, source: Source) {
      super(object);
      this.#source = source;
    }
    /** `reader` may be an object that inherits from the one with the source. */
    static sourceOf(reader: object): Source {
      for (let from: object | null = reader; from !== null; from = Object.getPrototypeOf(from)) {
        if (#source in from) return from.#source;
      }
      throw new TypeError("This field can't be read through a Proxy: read it from the object itself.");
    }
  }

  const accessors: (readonly [field: string, PropertyDescriptor])[] = [];
  for (const field in makers) {
    const make = makers[field];
    const get = function (this: object) {
      return make(WithSource.sourceOf(this));
    };
    accessors.push([field, { get, enumerable: true }]);
  }
  return (object, source) => {
    new WithSource(object, source);
    // One by one: all at once takes 1.7 times as long.
    for (const [field, accessor] of accessors) Object.defineProperty(object, field, accessor);
    return object as never;
  };
}
