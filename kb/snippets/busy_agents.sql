SELECT a.name, count(*) AS handled
FROM support.tickets t
JOIN support.agents a ON a.agent_id = t.agent_id
WHERE t.market = {{ market }}
  AND a.is_outsourced = FALSE
  AND t.created_at >= {{ period.start }}
  AND t.created_at < {{ period.end_exclusive }}
GROUP BY a.name
HAVING count(*) > {{ load }}
ORDER BY handled DESC, a.name
