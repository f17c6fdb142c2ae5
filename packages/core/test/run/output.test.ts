import { describe, expect, it } from "vitest";
import * as z from "zod";
import { run } from "../../src/index.ts";
import { errorOf, says, setup, user } from "../support/setup.ts";

const outcomeOf = async (reply: string, outputCodec: z.ZodType) => {
  const { config } = setup({ model: [reply], agent: { outputCodec } });
  return (await run(says("Hi"), config)).outcome;
};

const completed = (output: unknown) => ({ status: "completed", output });

describe("the output of a run", () => {
  it("is what the codec makes of the reply's JSON", async () => {
    const codec = z.object({
      at: z.iso.datetime().transform((text) => new Date(text)),
      n: z.number().default(1),
    });
    expect(await outcomeOf('{"at":"2030-01-01T00:00:00Z"}', codec)).toEqual(
      completed({ at: new Date("2030-01-01T00:00:00Z"), n: 1 }),
    );
  });

  it("is what the codec makes of the text when it is no JSON", async () => {
    expect(await outcomeOf("yes", z.enum(["yes", "no"]))).toEqual(completed("yes"));
  });

  it("is text for a codec of text, also when the text could be JSON", async () => {
    expect(await outcomeOf("42", z.string())).toEqual(completed("42"));
    expect(await outcomeOf("null", z.string())).toEqual(completed("null"));
  });

  it("may take an asynchronous codec", async () => {
    expect(
      await outcomeOf(
        "4",
        z.number().refine(async (n) => n > 3),
      ),
    ).toEqual(completed(4));
  });

  it("that doesn't match is a DecodeError with the issues, and no part of the conversation", async () => {
    const agent = { outputCodec: z.object({ n: z.number() }) };
    const { config } = setup({ model: ['{"n":"x"}'], agent, config: { outputRepairs: 0 } });
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)).toEqual({
      _tag: "DecodeError",
      errors: [expect.objectContaining({ code: "invalid_type", path: ["n"] })],
    });
    expect(ended.finalState.messages).toEqual([user("Hi")]);
  });

  it("is a DecodeError when the codec throws", async () => {
    const codec = z.string().transform((): string => {
      throw new Error("a bug");
    });
    expect(await outcomeOf("x", codec)).toMatchObject({
      error: { _tag: "DecodeError", errors: [{ path: [] }] },
    });
  });
});
