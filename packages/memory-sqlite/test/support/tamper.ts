import type { TestStore } from "@jaf/memory/testing";
import { findDriver } from "../../src/client/driver.ts";

const OF_IT = "conversation = (SELECT id FROM conversations WHERE conversation_id = ?)";

/** Changes the messages of a conversation, as a person with access to the file could. */
export const tamperIn =
  (file: string): NonNullable<TestStore["tamper"]> =>
  async (conversationId, { kind, index }) => {
    const handle = (await findDriver("test"))(file);
    const run = (sql: string) => void handle.prepare(`${sql} AND ${OF_IT}`).run(conversationId);
    const rows = handle
      .prepare(`SELECT position FROM messages WHERE ${OF_IT} ORDER BY position`)
      .all(conversationId) as readonly { readonly position: number }[];
    const at = rows[index]?.position ?? 0;
    // Two steps, because each position is unique at any time.
    const move = (to: string, condition: string) => {
      run(`UPDATE messages SET position = -1 - (${to}) WHERE ${condition}`);
      run("UPDATE messages SET position = -1 - position WHERE position < 0");
    };
    switch (kind) {
      case "change":
        run(`UPDATE messages SET body = replace(body, '":"', '":"~') WHERE position = ${at}`);
        break;
      case "remove":
        run(`DELETE FROM messages WHERE position = ${at}`);
        break;
      case "double":
        move("position + 1", `position > ${at}`);
        run(`INSERT INTO messages (conversation, position, body, is_tool_result, digest)
          SELECT conversation, position + 1, body, is_tool_result, digest FROM messages WHERE position = ${at}`);
        break;
      case "swap":
        move(`${2 * at + 1} - position`, `position IN (${at}, ${at + 1})`);
    }
    handle.close();
  };
