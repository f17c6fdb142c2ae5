interface WithFirst<T> {
  /** `undefined`: there is none. */
  readonly first: T | undefined;
  /** The first again, and the rest. */
  readonly all: AsyncIterable<T>;
}

/** Waits for the first. What the reading throws, whoever reads `all` is told. */
export async function withFirst<T>(values: AsyncIterable<T>): Promise<WithFirst<T>> {
  const iterator = values[Symbol.asyncIterator]();
  let failure: { readonly thrown: unknown } | undefined;
  const next = await iterator.next().catch((thrown: unknown) => {
    failure = { thrown };
  });
  const first = next === undefined || next.done === true ? undefined : next.value;
  async function* all(): AsyncGenerator<T> {
    try {
      if (failure !== undefined) throw failure.thrown;
      if (first === undefined) return;
      yield first;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done === true) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { first, all: all() };
}
