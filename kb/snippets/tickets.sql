SELECT {{ by }} AS slice, count(*) AS tickets
FROM support.tickets
WHERE market = {{ market }}
  AND NOT is_spam
  AND created_at >= {{ period.start }}
  AND created_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 2 DESC, 1
