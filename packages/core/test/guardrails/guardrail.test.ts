import { describe, expect, it } from "vitest";
import { composeValidations, type ValidationResult } from "../../src/index.ts";

const ok: ValidationResult = { isValid: true };
const no = (errorMessage: string): ValidationResult => ({ isValid: false, errorMessage });

describe("composeValidations", () => {
  const asAny = (verdict: unknown) => () => verdict as ValidationResult;

  it.each([[undefined], [null], [true], ["ok"], [{}], [{ isValid: "no" }], [{ isValid: 1 }]])(
    "takes %j for no verdict, which doesn't pass",
    async (verdict) => {
      const failed = no("a validation returned no verdict");
      expect(composeValidations(asAny(verdict), () => ok)("x", {})).toEqual(failed);
      expect(await composeValidations(async () => verdict as never)("x", {})).toEqual(failed);
    },
  );

  it("awaits any thenable, like await", async () => {
    const thenable = (verdict: ValidationResult) =>
      // biome-ignore lint/suspicious/noThenProperty: what is tested
      asAny({ then: (resolve: (value: ValidationResult) => void) => resolve(verdict) });
    expect(await composeValidations(thenable(no("late")), () => ok)("x", {})).toEqual(no("late"));
    expect(await composeValidations(thenable(ok), () => no("second"))("x", {})).toEqual(no("second"));
    expect(await composeValidations(thenable(ok), () => ok)("x", {})).toEqual(ok);
  });

  it("passes if all pass, or if there are none", () => {
    expect(
      composeValidations<string>(
        () => ok,
        () => ok,
      )("x", {}),
    ).toEqual(ok);
    expect(composeValidations<string>()("x", {})).toEqual(ok);
  });

  it("returns the first failure and calls no further validation", () => {
    let asked = false;
    const composed = composeValidations<string>(
      () => ok,
      () => no("first"),
      () => {
        asked = true;
        return no("second");
      },
    );
    expect(composed("x", {})).toEqual(no("first"));
    expect(asked).toBe(false);
  });

  it("awaits async validations in order", async () => {
    const order: number[] = [];
    const step = (n: number, verdict: ValidationResult) => async () => {
      await new Promise(setImmediate);
      order.push(n);
      return verdict;
    };
    expect(
      await composeValidations(() => ok, step(1, ok), step(2, no("second")), step(3, ok))("x", {}),
    ).toEqual(no("second"));
    expect(order).toEqual([1, 2]);
    expect(await composeValidations(step(4, ok), () => ok)("x", {})).toEqual(ok);
  });

  it("passes input and context to each", async () => {
    const seen: unknown[] = [];
    const record = (input: string, context: { readonly id: number }) => {
      seen.push([input, context.id]);
      return ok;
    };
    await composeValidations(record, async (input: string, context: { readonly id: number }) =>
      record(input, context),
    )("x", { id: 1 });
    expect(seen).toEqual([
      ["x", 1],
      ["x", 1],
    ]);
  });
});
