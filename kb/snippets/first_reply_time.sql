-- tickets nobody answered yet have no first_reply_at and drop out of the average
SELECT avg(date_diff('minute', created_at, first_reply_at)) AS minutes
FROM support.tickets
WHERE market = {{ market }}
  AND NOT is_spam
  AND created_at >= {{ period.start }}
  AND created_at < {{ period.end_exclusive }}
