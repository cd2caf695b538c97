SELECT date_trunc('month', resolved_at) AS month, avg(csat) AS csat
FROM support.tickets
WHERE market = {{ market }}
  AND NOT is_spam
  AND resolved_at >= {{ period.start }}
  AND resolved_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 1
