-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
CREATE OR REPLACE VIEW "__p___with_messages" AS
SELECT
	conversation.conversation_id,
	conversation.user_id,
	coalesce(
		(
			SELECT jsonb_agg("public"."__p___shown"(message.body) ORDER BY message.seq)
			FROM "__p___messages" AS message
			WHERE message.conversation_id = conversation.conversation_id
				AND message.seq > conversation.last_seq - conversation.total_messages
				AND message.seq <= conversation.last_seq
		),
		'[]'
	) AS messages,
	conversation.metadata || conversation.run_metadata AS metadata,
	conversation.created_at,
	conversation.updated_at,
	conversation.last_activity
FROM "__p__" AS conversation
WHERE conversation.expires_at IS NULL OR conversation.expires_at > statement_timestamp();
