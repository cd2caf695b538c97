SELECT {{ by }} AS slice, sum(cost) AS cost
FROM ads.campaign_daily
WHERE market = {{ market }}
  AND is_house = FALSE
  AND report_date BETWEEN {{ period.start }} AND {{ period.end }}
GROUP BY 1
ORDER BY 1
