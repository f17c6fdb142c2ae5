/** The verdict of a guardrail or a validation. `errorMessage` becomes the reason in the outcome. */
export type ValidationResult =
  | { readonly isValid: true }
  | { readonly isValid: false; readonly errorMessage: string };

/** `Readonly<any>` would be an index signature, to which `undefined` and `null` contexts don't fit. */
// biome-ignore lint/suspicious/noExplicitAny: stands for every context
type ReadonlyContext<Ctx> = 0 extends 1 & Ctx ? any : Readonly<Ctx>;

/**
 * Judges an input or an output. A guardrail that throws, rejects or returns no verdict blocks. The reason is then the name of the
 * error and its message, unless the message quotes what was judged.
 *
 * `context` is the run's; a guardrail that doesn't need it takes one parameter.
 */
// biome-ignore lint/suspicious/noExplicitAny: a guardrail that names no context works with every one
export type Guardrail<I, Ctx = any> = (
  input: I,
  context: ReadonlyContext<Ctx>,
) => ValidationResult | Promise<ValidationResult>;
