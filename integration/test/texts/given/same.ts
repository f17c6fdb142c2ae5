/** Whether two types are the same, not only assignable to each other. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export type Assignable<A, B> = [A] extends [B] ? true : false;

export function assertType<_ extends true>(): void {}
