import { expect, it } from "vitest";
import { createModelService, ModelHttpError, serviceErrors } from "../src/index.ts";

const serviceWith = (authorization: string) =>
  createModelService({
    url: "https://models.example.com/v1",
    provider: "mine",
    errors: serviceErrors(ModelHttpError),
    options: {},
    headers: { authorization },
    keyHeaders: ["authorization"],
  });

it.each(["sk-secret\nsecond", "sk-secret…", "sk-\0secret"])(
  "refuses the key %j without quoting it",
  (key) => {
    const refused = expect.objectContaining({
      name: "TypeError",
      message: expect.stringMatching(/^The header authorization can't be sent, (?!.*secret)/),
    });
    expect(() => serviceWith(`Bearer ${key}`)).toThrow(refused);
  },
);

it("leaves out the line break at the end of a key that was read from a file", () => {
  expect(serviceWith("Bearer sk-key\n").headers["authorization"]).toBe("Bearer sk-key");
});
