/** The context that the text's examples call MyContext. */
export interface MyContext {
  readonly user?: { readonly name: string };
}

/** Whether two types are the same, not only assignable to each other. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export function assertType<_ extends true>(): void {}
