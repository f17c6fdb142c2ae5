import { expect, onTestFinished, test } from "vitest";
import { finish, startChild } from "./support/child.ts";
import { makeFolder } from "./support/folder.ts";

test("an application finds the backend by JAF_MEMORY_TYPE or by its type, and a later process reads its messages", async () => {
  const { path, remove } = await makeFolder();
  onTestFinished(remove);
  const environment = { JAF_MEMORY_TYPE: "file", JAF_FILE_FOLDER: path };
  const first = await finish(startChild("application-child.ts", ["one"], environment));
  expect(JSON.parse(first)).toEqual(["one"]);
  const second = await finish(startChild("application-child.ts", ["two", path]));
  expect(JSON.parse(second)).toEqual(["one", "two"]);
});
