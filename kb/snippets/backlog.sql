SELECT count(*) AS backlog
FROM support.tickets
WHERE market = {{ market }}
  AND NOT is_spam
  AND created_at < {{ period.end_exclusive }}
  AND (resolved_at IS NULL OR resolved_at >= {{ period.end_exclusive }})
