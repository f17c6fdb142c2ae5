/**
 * The result of a guardrail or a validation. If `isValid` is `false`, the guardrail blocks the value, and
 * `errorMessage` becomes the reason in the run's outcome.
 */
export type ValidationResult =
  | { readonly isValid: true }
  | { readonly isValid: false; readonly errorMessage: string };

/** `Readonly<Ctx>`, or `any` for a context of type `any`. */
// `Readonly<any>` is an index signature, which doesn't accept the contexts `undefined` and `null`.
// biome-ignore lint/suspicious/noExplicitAny: stands for every context
type ReadonlyContext<Ctx> = 0 extends 1 & Ctx ? any : Readonly<Ctx>;

/**
 * Checks an input or an output. `context` is the run's context.
 *
 * If a guardrail throws, rejects or returns no result, the value is blocked. The reason is the error's name and
 * message. The message is left out if it quotes the checked value.
 */
// biome-ignore lint/suspicious/noExplicitAny: a guardrail that names no context works with every one
export type Guardrail<I, Ctx = any> = (
  input: I,
  context: ReadonlyContext<Ctx>,
) => ValidationResult | Promise<ValidationResult>;

type Verdict = ValidationResult | Promise<ValidationResult>;

/**
 * Combines validations into one. They are called in order until one fails, and the result of the failed one is
 * returned. A validation passes only with `isValid: true`. The combined validation is async only if one of the
 * validations is async.
 *
 * @example
 * ```ts
 * import { composeValidations, createContentFilter, createPermissionCheck } from "@jaf/core";
 *
 * interface Caller {
 *   readonly permissions: readonly string[];
 * }
 *
 * export const mayAsk = composeValidations<string, Caller>(
 *   createPermissionCheck("orders:read"),
 *   createContentFilter([/password/i]),
 *   (text) => (text.length < 4_000 ? { isValid: true } : { isValid: false, errorMessage: "The question is too long" }),
 * );
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: validations that name no context work with every one
export function composeValidations<I, Ctx = any>(
  ...validations: readonly ((input: I, context: Ctx) => ValidationResult)[]
): (input: I, context: Ctx) => ValidationResult;
/**
 * Combines validations, some of which can be async, into one. They are called in order until one fails, and the result of the
 * failed one is returned.
 */
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

/** Returns whether a value has a `then` method, as `await` does. */
// Promises of another realm or library aren't `instanceof Promise`.
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** Returns the failure if a validation didn't pass; `undefined` if it passed. */
function failureOf(verdict: unknown): ValidationResult | undefined {
  const isValid: unknown =
    typeof verdict === "object" && verdict !== null && "isValid" in verdict ? verdict.isValid : undefined;
  if (isValid === true) return undefined;
  if (isValid === false) return verdict as ValidationResult;
  return { isValid: false, errorMessage: "a validation returned no verdict" };
}
