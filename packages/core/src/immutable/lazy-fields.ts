/** The value of a field that isn't computed yet. Node's `inspect` prints it, since it looks behind proxies. */
export const NOT_COMPUTED: unknown = Object.freeze({
  [Symbol.for("nodejs.util.inspect.custom")]: () => "[Getter]",
});

/** Computes fields from a source. */
export type FieldFactories<T, Source> = { readonly [Field in keyof T]?: (source: Source) => T[Field] };

/**
 * An object whose fields that are {@link NOT_COMPUTED} are computed when they are first read, also by a copy with `{ ...it }`.
 * For fields that are expensive and rarely read, such as an `AbortSignal`. The source isn't reachable through the object. It is
 * a proxy, because accessors on each object would cost six times as much.
 *
 * `fields`: kept, and changed as fields are made. `factories`: the same for all objects of a kind.
 */
export const withLazyFields = <T extends object, Source>(
  fields: T,
  factories: FieldFactories<T, Source>,
  source: Source,
): T => new Proxy(fields, new LazyFieldHandler(factories, source));

/** Everything that reads or changes a field comes by way of these. */
class LazyFieldHandler<T extends object, Source> implements ProxyHandler<T> {
  readonly #makers: FieldFactories<T, Source>;
  readonly #source: Source;

  constructor(factories: FieldFactories<T, Source>, source: Source) {
    this.#makers = factories;
    this.#source = source;
  }

  get(fields: T, field: PropertyKey): unknown {
    this.#make(fields, field as keyof T);
    return fields[field as keyof T];
  }

  getOwnPropertyDescriptor(fields: T, field: PropertyKey): PropertyDescriptor | undefined {
    this.#make(fields, field as keyof T);
    return Reflect.getOwnPropertyDescriptor(fields, field);
  }

  defineProperty(fields: T, field: PropertyKey, descriptor: PropertyDescriptor): boolean {
    this.#make(fields, field as keyof T);
    return Reflect.defineProperty(fields, field, descriptor);
  }

  #make(fields: T, field: keyof T): void {
    if (fields[field] !== NOT_COMPUTED) return;
    const make = this.#makers[field];
    if (make !== undefined) fields[field] = make(this.#source);
  }
}
