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
  it("is the reply's JSON, decoded by the codec", async () => {
    const codec = z.object({
      at: z.iso.datetime().transform((text) => new Date(text)),
      n: z.number().default(1),
    });
    expect(await outcomeOf('{"at":"2030-01-01T00:00:00Z"}', codec)).toEqual(
      completed({ at: new Date("2030-01-01T00:00:00Z"), n: 1 }),
    );
  });

  it("is the text, decoded by the codec, if it isn't JSON", async () => {
    expect(await outcomeOf("yes", z.enum(["yes", "no"]))).toEqual(completed("yes"));
  });

  it("is text for a codec of strings, even if the text could be JSON", async () => {
    expect(await outcomeOf("42", z.string())).toEqual(completed("42"));
    expect(await outcomeOf("null", z.string())).toEqual(completed("null"));
  });

  it("is the last text of a reply that comments before it, if the texts together don't match", async () => {
    const parts = ["I look it up.", '{"n":1}'].map((text) => ({ type: "text" as const, text }));
    const { config } = setup({
      model: [{ parts }],
      agent: { outputCodec: z.object({ n: z.number() }) },
    });
    expect((await run(says("Hi"), config)).outcome).toEqual(completed({ n: 1 }));
  });

  it("can use an async codec", async () => {
    expect(
      await outcomeOf(
        "4",
        z.number().refine(async (n) => n > 3),
      ),
    ).toEqual(completed(4));
  });

  it("is a DecodeError with the issues if it doesn't match, and isn't part of the conversation", async () => {
    const agent = { outputCodec: z.object({ n: z.number() }) };
    const { config } = setup({ model: ['{"n":"x"}'], agent, config: { outputRepairs: 0 } });
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)).toEqual({
      _tag: "DecodeError",
      errors: [expect.objectContaining({ code: "invalid_type", path: ["n"] })],
    });
    expect(ended.finalState.messages).toEqual([user("Hi")]);
  });

  it("is a DecodeError if the codec throws", async () => {
    const codec = z.string().transform((): string => {
      throw new Error("a bug");
    });
    expect(await outcomeOf("x", codec)).toMatchObject({
      error: { _tag: "DecodeError", errors: [{ path: [] }] },
    });
  });
});
