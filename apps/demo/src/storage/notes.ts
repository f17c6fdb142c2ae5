import type { PGlite } from "@electric-sql/pglite";
import type { Notes } from "../assistant/agent.ts";

/** Creates notes in the demo's own table of the database. */
export async function createNotes(database: PGlite): Promise<Notes> {
  await database.exec(`
    CREATE TABLE IF NOT EXISTS demo_notes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id text NOT NULL,
      note text NOT NULL
    )`);
  return {
    add: async (userId, text) => {
      await database.query("INSERT INTO demo_notes (user_id, note) VALUES ($1, $2)", [userId, text]);
    },
    list: async (userId) => {
      const listed = "SELECT note FROM demo_notes WHERE user_id = $1 ORDER BY id";
      const { rows } = await database.query<{ note: string }>(listed, [userId]);
      return rows.map(({ note }) => note);
    },
    remove: async (userId, number) => {
      const removed = `
        DELETE FROM demo_notes WHERE id = (
          SELECT id FROM demo_notes WHERE user_id = $1 ORDER BY id LIMIT 1 OFFSET $2
        ) RETURNING note`;
      const { rows } = await database.query<{ note: string }>(removed, [userId, number - 1]);
      return rows[0]?.note;
    },
  };
}
