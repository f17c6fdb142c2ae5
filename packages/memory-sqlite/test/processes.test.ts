import { expect, it } from "vitest";
import { createSqliteProvider } from "../src/index.ts";
import { acknowledged, startWriter } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { integrityOf } from "./support/integrity.ts";
import { said } from "./support/open.ts";

it("two processes that create the file together, with 20 writers each, lose no message", async () => {
  const file = await testFile();
  const children = ["a", "b"].map((name) => startWriter(file, name, "20", "10"));
  const sent = (await Promise.all(children.map((child) => acknowledged(child)))).flat();
  expect(sent).toHaveLength(400);
  const provider = await createSqliteProvider({ file });
  expect((await said(provider, "c")).toSorted()).toEqual(sent.toSorted());
  expect(await provider.verifyConversation("c")).toMatchObject({ success: true, data: { intact: true } });
  await provider.close();
});

it("nothing acknowledged is lost if a process is killed amid its writes, and others go on", async () => {
  const file = await testFile();
  const provider = await createSqliteProvider({ file });
  for (const name of ["a", "b", "c"]) {
    const child = startWriter(file, name);
    const sent = await acknowledged(child, (lines) => {
      if (lines === 200) child.kill("SIGKILL");
    });
    expect(child.signalCode).toBe("SIGKILL");
    const stored = (await said(provider, "c")).filter((content) => String(content).startsWith(name));
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored).toEqual(expect.arrayContaining([...sent]));
    expect(await provider.verifyConversation("c")).toMatchObject({ success: true, data: { intact: true } });
  }
  await provider.close();
  expect(await integrityOf(file)).toEqual({ integrity: "ok", brokenReferences: 0 });
});
