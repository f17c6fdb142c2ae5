/** The verdict of a guardrail or a validation. `errorMessage` becomes the reason in the outcome. */
export type ValidationResult =
  | { readonly isValid: true }
  | { readonly isValid: false; readonly errorMessage: string };

/** `Readonly<any>` would be an index signature, to which `undefined` and `null` contexts don't fit. */
// biome-ignore lint/suspicious/noExplicitAny: stands for every context
type ReadonlyContext<Ctx> = 0 extends 1 & Ctx ? any : Readonly<Ctx>;

/**
 * Judges an input or an output. A guardrail that throws, rejects or returns no verdict blocks. The reason is then the name of the
 * error and its message, unless the message quotes what was checked.
 *
 * `context` is the run's; a guardrail that doesn't need it takes one parameter.
 */
// biome-ignore lint/suspicious/noExplicitAny: a guardrail that names no context works with every one
export type Guardrail<I, Ctx = any> = (
  input: I,
  context: ReadonlyContext<Ctx>,
) => ValidationResult | Promise<ValidationResult>;

type Verdict = ValidationResult | Promise<ValidationResult>;

/**
 * Combines validations, which are called in order: the first failure is the verdict, and the later ones aren't called. Only
 * `isValid: true` passes; no verdict is a failure. The result is asynchronous only if one of the validations is.
 */
// biome-ignore lint/suspicious/noExplicitAny: validations that name no context work with every one
export function composeValidations<I, Ctx = any>(
  ...validations: readonly ((input: I, context: Ctx) => ValidationResult)[]
): (input: I, context: Ctx) => ValidationResult;
// biome-ignore lint/suspicious/noExplicitAny: as above
export function composeValidations<I, Ctx = any>(
  ...validations: readonly ((input: I, context: Ctx) => Verdict)[]
): (input: I, context: Ctx) => Verdict;
export function composeValidations<I, Ctx>(
  ...validations: readonly ((input: I, context: Ctx) => Verdict)[]
): (input: I, context: Ctx) => Verdict {
  return (input, context) => {
    for (const [index, validate] of validations.entries()) {
      const verdict: unknown = validate(input, context);
      if (isThenable(verdict)) {
        const rest = composeValidations(...validations.slice(index + 1));
        return Promise.resolve(verdict).then((first) => failureOf(first) ?? rest(input, context));
      }
      const failure = failureOf(verdict);
      if (failure !== undefined) return failure;
    }
    return { isValid: true };
  };
}

/** As `await` sees it: promises of another realm or library are no `instanceof Promise`. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** `undefined`: passed. */
function failureOf(verdict: unknown): ValidationResult | undefined {
  const isValid: unknown =
    typeof verdict === "object" && verdict !== null && "isValid" in verdict ? verdict.isValid : undefined;
  if (isValid === true) return undefined;
  if (isValid === false) return verdict as ValidationResult;
  return { isValid: false, errorMessage: "a validation returned no verdict" };
}
